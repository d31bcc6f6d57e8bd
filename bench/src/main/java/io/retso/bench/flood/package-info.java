/** Floods of clients that have not said who they are: {@code retso bench attacks --secured}. */
package io.retso.bench.flood;
