/**
 * Whether snapshot isolation is enough for the programs of an application: exactly, for programs
 * whose row keys are made of their parameters, with prefix scans, conflicts by row or by cell,
 * locked and validated reads, and some of them serializable.
 *
 * <p>{@link io.retso.advise.Advise} answers. {@link io.retso.advise.Programs} are made of {@link
 * io.retso.advise.Program}s and their {@link io.retso.advise.Operation}s; an answer is a {@link
 * io.retso.advise.Verdict}, which shows each {@link io.retso.advise.Danger} as transactions, {@link
 * io.retso.advise.Instance}s of programs, that run in a certain order, and {@link
 * io.retso.advise.Repair}s.
 */
package io.retso.advise;
