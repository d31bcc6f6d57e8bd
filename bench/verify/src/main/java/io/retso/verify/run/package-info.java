/**
 * {@code retso verify}: random transactions against transactional tables, with faults, and the
 * history of all of them, which {@link io.retso.verify.check} judges.
 *
 * <p><strong>What does what.</strong> A {@link io.retso.verify.run.VerifyRun} runs {@link
 * io.retso.verify.run.Round}s. In each, {@link io.retso.verify.clients.Client}s, in this process
 * and in others ({@link io.retso.verify.clients.ClientPool}), run transactions that a {@link
 * io.retso.verify.clients.Planner} invents, and record them; a {@link
 * io.retso.verify.faults.Nemesis} lets {@link io.retso.verify.faults.Fault}s happen. Then {@link
 * io.retso.verify.clients.FinalReads} and the {@link io.retso.verify.run.FinalChecks} look at what
 * is left, and {@link io.retso.verify.run.HistoryMerge} makes one history of all.
 *
 * <p><strong>What survives {@code kill -9}.</strong> The invocation of a transaction is handed to
 * the operating system before the transaction begins. What is missing at the end of a file is the
 * completion of transactions, which then count as unknown.
 *
 * <p>Lists never shrink. Deletes move {@link io.retso.verify.clients.Tokens}.
 */
package io.retso.verify.run;
