/** Floods of clients that have not identified themselves: {@code retso bench attacks --secured}. */
package io.retso.bench.flood;
