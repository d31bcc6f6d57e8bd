/**
 * What can be seen from outside: metrics, health and status over HTTP.
 *
 * <p><strong>Threads.</strong> The oracle's event loop owns every counter. No thread reads them
 * across threads: a thread that wants figures asks the loop for a copy ({@link
 * io.retso.server.observe.FigureReader}), at most ten times a second, so that a transaction pays
 * nothing for being measured. What is measured per batch goes into histograms that belong to the
 * same loop.
 */
package io.retso.server.observe;
