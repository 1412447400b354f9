/* Every FTL, one line each: FTL(name) means `const struct ftl_ops ftl_name` in ftl/. */
FTL(page)
FTL(across)
FTL(mrsm)
FTL(optimal)
FTL(dftl)
FTL(sftl)
FTL(direct)
FTL(skeleton)
