/** What TLS and names of clients cost: {@code retso bench security}. */
package io.retso.bench.security;
