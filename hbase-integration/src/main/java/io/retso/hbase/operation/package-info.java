/**
 * The operations of a transaction: which are allowed, in which order, by which thread. Knows
 * neither how they read nor how they write.
 *
 * <p>Internal: applications use {@code io.retso.hbase}.
 */
package io.retso.hbase.operation;
