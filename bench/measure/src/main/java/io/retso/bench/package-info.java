/**
 * The benchmarks' command, {@code ./retso bench}. What it runs is in the packages below: {@code
 * kernel} measures the oracle's decisions alone, {@code suite} an oracle process under the load of
 * {@code load}, {@code hbase} transactional tables beside plain ones, {@code jmh} single methods;
 * {@code report} turns figures into text, JSON and plots.
 */
package io.retso.bench;
