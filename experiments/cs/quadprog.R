# The dual of CS by a general solver: quadprog.R FILE C. FILE has the label last and a header. Prints JSON: processor seconds of
# solve.QP, the median of three, and the value of its solution in our terms,
#   max  -1/2 sum_ij K_ij tau_i.tau_j - sum_i tau_i.b_i
# Variables: eta_ir for r != y_i, rows one after another; tau_ir = -eta_ir, tau_i,y_i = the sum of the others.
library(quadprog)
arguments <- commandArgs(TRUE)
data <- read.csv(arguments[1])
C <- as.numeric(arguments[2])
x <- as.matrix(data[, -ncol(data)])
y <- as.integer(factor(data[[ncol(data)]]))
m <- nrow(x)
k <- max(y)
row <- rep(seq_len(m), each = k - 1)
class <- unlist(lapply(y, function(right) setdiff(seq_len(k), right)))
# tau = A eta, m k values by rows; the quadratic form is eta' A' (K x I) A eta
A <- matrix(0, m * k, m * (k - 1))
A[cbind((row - 1) * k + class, seq_along(row))] <- -1
A[cbind((row - 1) * k + y[row], seq_along(row))] <- 1
D <- crossprod(A, kronecker(tcrossprod(x), diag(k)) %*% A)
ridge <- 1e-9 * max(diag(D))
G <- D + diag(ridge, nrow(D))
sums <- matrix(0, nrow(D), m)
sums[cbind(seq_along(row), row)] <- -1
constraints <- cbind(diag(nrow(D)), sums)
right_hand <- c(rep(0, nrow(D)), rep(-C, m))
seconds <- replicate(3, sum(system.time(solution <<- solve.QP(G, rep(1, nrow(D)), constraints, right_hand))[c("user.self", "sys.self")]))
eta <- pmax(solution$solution, 0)
value <- sum(eta) - sum(eta * (D %*% eta)) / 2
cat(sprintf('{"version": "quadprog %s", "seconds": %.6f, "value": %.10g, "iterations": %d}\n', packageVersion("quadprog"),
            median(seconds), value, solution$iterations[1]))
