/** TPC-B: money of accounts, tellers and branches, and the history of what was moved. */
package io.retso.workload.tpcb;
