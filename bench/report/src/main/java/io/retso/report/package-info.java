/**
 * What the benchmark found, as records, and the forms in which it is shown: a table for the
 * terminal, JSON, and the paper's Figure 3 as SVG.
 */
package io.retso.report;
