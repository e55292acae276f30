# The proof in bindings/r; arguments: the compiled .Call functions, the script, a file for models.
arguments <- commandArgs(trailingOnly = TRUE)
dyn.load(arguments[1])
source(arguments[2])
check <- function(what, holds) if (!isTRUE(holds)) stop("it does not hold: ", what)
fails <- function(pattern, code) {
    said <- tryCatch({ code; "nothing" }, error = conditionMessage)
    check(paste0(pattern, " in '", said, "'"), grepl(pattern, said))
}
memory <- function() sum(gc(full = TRUE)[, 2])

x <- as.matrix(iris[1:4])
model <- polytomy(x, iris$Species, machine = "onelsm", ridge = 0.125, sigma = 2)
label <- predict(model, x)
proba <- predict(model, x, type = "prob")
check("labels are a factor of the classes", identical(levels(label), levels(iris$Species)))
check("few errors", mean(label != iris$Species) < 0.05)
check("probabilities", all(abs(rowSums(proba) - 1) < 1e-12) && identical(dim(proba), c(150L, 3L)))
check("the likeliest class is the label", all(colnames(proba)[max.col(proba, "first")] == label))
check("columns are not rows", identical(predict(model, x[7, , drop = FALSE]), label[7]))
check("a data frame is a matrix", identical(predict(model, iris[1:4]), label))
check("whole numbers are numbers", is.factor(predict(model, matrix(1:8, 2))))

# classes not in the order of names, one without rows, names in UTF-8, rows without label
y <- factor(c("z", "\u00e4", "m")[as.integer(iris$Species)], levels = c("z", "none", "m", "\u00e4"))
y[c(3, 77)] <- NA
odd <- polytomy(x, y, machine = "softmax")
right <- as.character(predict(odd, x)) == as.character(y)
check("classes are found by name", mean(right, na.rm = TRUE) > 0.95)
check("only classes with rows", setequal(levels(predict(odd, x)), c("z", "m", "\u00e4")))

# NA is a missing cell
holes <- x
holes[cbind(1:20, 1:4)] <- NA
tree <- polytomy(holes, iris$Species, machine = "tree")
check("missing cells", mean(predict(tree, holes) == iris$Species) > 0.9)
fails("PT_EFORMAT: .*missing", polytomy(holes, iris$Species, missing = "error"))

fails("PT_EINVAL: .*ridge", polytomy(x, iris$Species, ridge = -1))
fails("did you mean", polytomy(x, iris$Species, rigde = 1))
fails("PT_E", predict(model, x[, 1:2]))
fails("gone", .Call("polytomy_predict", new("externalptr"), x))
fails("PT_EFORMAT", .Call("polytomy_load", as.raw(1:99)))

# through a file, and through bytes
saveRDS(model, arguments[3])
again <- readRDS(arguments[3])
check("a model that was saved", identical(predict(again, x, type = "prob"), proba))
bytes <- .Call("polytomy_save", .Call("polytomy_load", model$bytes))
check("the same bytes", identical(bytes, model$bytes))

# models are freed, and a large matrix is not copied
for (i in 1:300)
    polytomy(x[1:60, ], iris$Species[41:100], machine = "softmax", calibrate = FALSE)
large <- matrix(rnorm(4e6), 1e6, 4)
before <- memory()
gc(reset = TRUE)
invisible(cells(large))
check("no copy of cells", sum(gc()[, 6]) - before < 16)
cat("passed\n")
