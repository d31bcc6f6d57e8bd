/** The graph of programs that can depend on each other, and pictures of it. */
package io.retso.advise.graph;
