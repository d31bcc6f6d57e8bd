/**
 * What goes wrong in correct programs: {@link io.retso.hbase.errors.TransactionException} and its
 * kinds, each with what to do about it. For applications, but for {@link
 * io.retso.hbase.errors.Failures}, by which all other packages make them.
 */
package io.retso.hbase.errors;
