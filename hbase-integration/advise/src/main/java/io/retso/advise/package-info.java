/**
 * Whether snapshot isolation is enough for the programs of an application: exactly, for programs
 * whose row keys are made of their parameters, with prefix scans, conflicts by row or by cell,
 * locked and validated reads, and some of them serializable. {@link io.retso.advise.Advise}
 * answers.
 */
package io.retso.advise;
