/**
 * The developer's command line, {@code ./retso}: the product's commands beside the demonstration,
 * the benchmarks and {@code verify}. No other package imports this one.
 */
package io.retso.cli;
