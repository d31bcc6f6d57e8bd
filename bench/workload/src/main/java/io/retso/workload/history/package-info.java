/**
 * What transactions of a workload have read and written, and whether a serial order explains it.
 * Every value carries the number of the transaction that wrote it, so no store has to help.
 */
package io.retso.workload.history;
