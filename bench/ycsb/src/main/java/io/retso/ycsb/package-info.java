/**
 * For YCSB: the bindings {@link io.retso.ycsb.RetsoClient}, whose operations are in transactions,
 * and {@link io.retso.ycsb.PlainHBaseClient}, to compare with; and {@link
 * io.retso.ycsb.ClosedEconomyWorkload}, whose money has to add up. YCSB makes their objects by name
 * and is told everything else by properties; docs/ycsb.md has them.
 */
package io.retso.ycsb;
