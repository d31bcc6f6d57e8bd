/**
 * Programs of an application, and what is said of them: {@link io.retso.advise.model.Programs} are
 * made of {@link io.retso.advise.model.Program}s and their {@link
 * io.retso.advise.model.Operation}s; an answer is a {@link io.retso.advise.model.Verdict}, which
 * shows each {@link io.retso.advise.model.Danger} as transactions, {@link
 * io.retso.advise.model.Instance}s of programs, that run in a certain order, and {@link
 * io.retso.advise.model.Repair}s. What cannot be so is refused by {@link
 * io.retso.advise.model.ProgramException}.
 */
package io.retso.advise.model;
