/** The bank of {@code retso demo}: money moves between two tables, and a journal says so. */
package io.retso.workload.bank;
