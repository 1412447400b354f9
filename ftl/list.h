/* Every FTL, one line each: FTL(name) means `const struct ftl_ops ftl_name` in ftl/. */
FTL(page)
FTL(across)
FTL(mrsm)
FTL(direct)
FTL(block)
FTL(inorder)
FTL(bast)
FTL(skeleton)
