/**
 * Histories of transactions on lists: their events, the recorder that writes them while they
 * happen, and the reader. The file format is the one of Elle's list-append tests
 * (docs/history-format.md).
 *
 * <p>Lists because they tell their own history: a read shows all versions of its key that came
 * before, in their order, so the order of all writes is known without trusting the store.
 */
package io.retso.verify.history;
