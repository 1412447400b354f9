# Fig. 10 without the copies of the collection.
variant = "_host"
load scripts."pages.gp"
