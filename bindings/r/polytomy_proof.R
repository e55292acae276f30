# Polytomy in R: a proof that .Call over the C API carries a model as R's users know them.
#
#     dyn.load("polytomy_proof.so"); source("polytomy_proof.R")
#     model <- polytomy(iris[1:4], iris$Species, machine = "onelsm", ridge = 0.1)
#     predict(model, iris[1:4]); predict(model, iris[1:4], type = "prob")
#
# A model may be saved by saveRDS and serialize, and sent to other processes: it has its bytes.

polytomy <- function(x, y, ...) {
    options <- list(...)
    as_text <- function(v) if (is.logical(v)) ifelse(v, "yes", "no") else format(v, digits = 17)
    values <- vapply(options, as_text, "")
    settings <- paste(sprintf("%s={%s}", gsub("_", "-", names(options)), values), collapse = ",")
    y <- as.factor(y)
    code <- ifelse(is.na(y), -1L, as.integer(y) - 1L)
    pointer <- .Call("polytomy_load", NULL)
    .Call("polytomy_fit", pointer, cells(x), code, enc2utf8(levels(y)), settings)
    structure(list(pointer = pointer, bytes = .Call("polytomy_save", pointer)), class = "polytomy")
}

predict.polytomy <- function(object, newdata, type = c("class", "prob"), ...) {
    if (identical(object$pointer, new("externalptr"))) # it comes from a file, or another process
        object$pointer <- .Call("polytomy_load", object$bytes)
    found <- .Call("polytomy_predict", object$pointer, cells(newdata))
    if (match.arg(type) == "class")
        return(factor(found[[1]][found[[2]] + 1L], levels = found[[1]]))
    proba <- t(found[[3]])
    colnames(proba) <- found[[1]]
    proba
}

# Doubles of a matrix or data frame; one that is a matrix of them already is not copied.
cells <- function(x) {
    x <- as.matrix(x)
    if (!is.double(x)) storage.mode(x) <- "double"
    x
}
