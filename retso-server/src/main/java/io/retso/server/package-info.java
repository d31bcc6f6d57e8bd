/**
 * The server as a process: configuration, commands, metrics, and the wiring of everything else.
 *
 * <ul>
 *   <li>{@link io.retso.server.Settings}: every setting, in one table.
 *   <li>{@link io.retso.server.RetsoServer}: puts the parts together and takes them apart again.
 *   <li>{@link io.retso.server.ServerCommand} and {@link io.retso.server.StatusCommand}: the
 *       command line; the only classes here that print.
 *   <li>{@link io.retso.server.Metrics} and {@link io.retso.server.HttpEndpoint}: what can be seen
 *       from outside.
 * </ul>
 *
 * <p><strong>Threads.</strong> The oracle's event loop owns every counter. Nobody reads them across
 * threads: who wants figures asks the loop for a copy ({@link io.retso.server.FigureReader}), at
 * most ten times a second, so that a transaction pays nothing for being measured. What is measured
 * per batch goes into histograms that belong to the same loop.
 *
 * <p>Clocks, randomness and the end of the process are decided here and handed to the other
 * packages.
 */
package io.retso.server;
