/**
 * The servers that are measured: {@code retso server} as child processes, or one that runs already,
 * what they report of themselves, and the bookie in them.
 */
package io.retso.bench.server;
