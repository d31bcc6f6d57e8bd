/** {@code retso bench failover}: how long clients are not served when servers fail. */
package io.retso.bench.failover;
