/** Microbenchmarks with JMH: {@code retso bench jmh [REGEXP]}. */
package io.retso.bench.jmh;
