/**
 * Transactional tables beside the plain HBase client, on one cluster, in one run: {@code retso
 * bench --hbase}.
 *
 * <p>Whatever is compared takes turns in short rounds, each ratio is taken within a round, and the
 * median of the rounds counts: what else the machine does then meets both sides. Rounds whose
 * processor time went to the JVMs' compilers are not judged.
 */
package io.retso.bench.hbase;
