/** Changes of programs that make snapshot isolation enough for them, by what they cost. */
package io.retso.advise.repair;
