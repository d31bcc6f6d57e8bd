/**
 * Programs from files: {@link io.retso.advise.input.ProgramsFile}, which throws {@link
 * io.retso.advise.input.ProgramsFormatException}.
 */
package io.retso.advise.input;
