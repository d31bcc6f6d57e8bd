/** The machine and its limits: processor time of processes and threads, memory, disk. */
package io.retso.machine;
