/** Flags that several benchmarks have in common. */
package io.retso.bench.options;
