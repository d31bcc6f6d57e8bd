/** The stores that benchmarks of workloads measure, and what is started for them. */
package io.retso.bench.stores;
