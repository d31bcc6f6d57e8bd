/** SIBENCH of Cahill (2009): queries that read what others change all the time. */
package io.retso.workload.sibench;
