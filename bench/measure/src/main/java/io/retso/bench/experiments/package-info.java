/**
 * The experiments of the papers: {@code retso bench tpcc}, {@code tpcb}, {@code rubis} and {@code
 * smallbank-scale}. All stores are there at the same time, and what is compared takes turns on
 * them.
 */
package io.retso.bench.experiments;
