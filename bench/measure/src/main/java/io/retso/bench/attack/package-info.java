/**
 * A good client beside others that take all they can get: well-formed requests, from an address of
 * their own, as fast and as large as the protocol allows.
 */
package io.retso.bench.attack;
