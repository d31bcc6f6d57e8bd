package io.retso.hbase.admin;

import org.apache.yetus.audience.InterfaceAudience;

/**
 * What a sweep did. Immutable.
 *
 * @param tables prepared tables that were gone over
 * @param marks PendingWrite marks that were found
 * @param cleaned rows that were cleaned up
 * @param open marks of transactions that are not decided yet: they stay
 * @param reported whether the oracle got the report: only then has it forgotten the commits of dead
 *     clients
 * @param reason why it was not reported; empty if it was
 * @since 0.1
 */
@InterfaceAudience.Public
public record SweepResult(
    int tables, long marks, long cleaned, long open, boolean reported, String reason) {}
