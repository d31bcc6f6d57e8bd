/**
 * The developer's command line, {@code ./retso}: the product's commands beside the demonstration,
 * the benchmarks and {@code verify}. Nobody imports this package.
 */
package io.retso.cli;
