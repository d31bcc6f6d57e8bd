/**
 * The client of the status oracle, for programs that keep their data elsewhere.
 *
 * <p>{@link io.retso.client.OracleClient} is the whole of it: begin, commit, status, abort,
 * cleanedUp, each asynchronous with a blocking twin. {@link io.retso.client.RowId} turns tables and
 * rows into the 64-bit ids that the oracle knows them by. {@link
 * io.retso.client.OracleException.Category} is the catalogue of errors.
 *
 * <p>How requests travel is the matter of {@link io.retso.client.connection}, which programs do not
 * see.
 */
package io.retso.client;
