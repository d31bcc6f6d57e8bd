/**
 * What was measured, as data, and one writer each for text, JSON, figures and pages.
 *
 * <p>A benchmark measures its cases in turns ({@link io.retso.report.Rounds}), describes what came
 * of them as a {@link io.retso.report.Result} of tables, verdicts and plots, and hands that to
 * {@link io.retso.report.Publication}:
 *
 * <pre>{@code
 * ProgressLine line = new ProgressLine(out, System.console() != null);
 * Result.Builder result = Result.begin("tpcb", BuildVersion.text(), flags, Machine.facts());
 * Rounds<Subject, Counts> rounds = new Rounds<>(); // Subject: a record with a toString for people
 * rounds.take(List.of(subjects), -1, 8, line, (subject, round) -> measure(subject, round));
 *
 * Subject base = new Subject(HBASE, SNAPSHOT);
 * result.table(
 *     Table.of("tpcb", rounds.cases())
 *         .words("store", Subject::store)
 *         .column(Unit.RATE, "per s", of -> rounds.mean(of, Counts::perSecond))
 *         .column(Unit.RATIO, "of snapshot", of -> rounds.ratio(of, base, Counts::perSecond))
 *         .column(Unit.MILLIS, "p90", of -> rounds.mean(of, counts -> counts.latency().p90()))
 *         .column(Unit.SHARE, "refused", of -> rounds.mean(of, Counts::refusedShare))
 *         .end());
 * result.verdicts(List.of(Verdict.ofRatio("serializable / snapshot", ratio, true, 0.95, "8 rounds")));
 * result.plot(
 *     Plot.of("tpcb", "TPC-B", "one branch", Axis.of("clients", clients))
 *         .panel(Kind.LINES, Axis.linear("per second"), List.of(
 *             Series.ofMeans("serializable", "", clients, n -> rounds.mean(of(n), Counts::perSecond)))));
 * Publication.publish(result.failures(wrong).runs(rounds.runs()).end(), out, directory);
 * }</pre>
 *
 * <p>{@code Publication} prints the text, writes {@code tpcb.json} and the figures, and fails if a
 * run was wrong. {@link io.retso.report.MarkedPage} puts the tables and figures of a result into a
 * page; {@link io.retso.report.Result#runs(Class)} gives back what was measured, to be merged.
 */
package io.retso.report;
