/**
 * An auction site after RUBiS, with its bidding mix: Ports and Grittner, Serializable Snapshot
 * Isolation in PostgreSQL (2012), section 8.3. Most programs list items with their current bids,
 * which bids change.
 *
 * <p>Rows consist of numbers: there are no texts, and no pictures. What SQL's indexes are for are
 * tables: items of a category, items of a region, users by their names. Keys of bids, purchases and
 * comments begin with what they are about.
 */
package io.retso.workload.rubis;
