/**
 * What goes wrong in correct programs: {@link io.retso.hbase.errors.TransactionException} and its
 * kinds, each with what to do about it; the page docs/errors.md has all of them in one table. For
 * applications.
 */
package io.retso.hbase.errors;
