/**
 * The paper's section 4, carried out: starts servers as processes of their own, runs the load of
 * {@link io.retso.bench.load} at them case by case, and puts the figures together.
 *
 * <p>Runs that are compared with each other follow each other: echo, log off and log on of the same
 * load take turns, so that whatever else the machine does meets all of them.
 */
package io.retso.bench.suite;
