/** The oracle alone: no network, no log, one thread. */
package io.retso.bench.kernel;
