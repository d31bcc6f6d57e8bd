/**
 * A cluster of oracles on this machine under faults: what is done to it, and when; what clients
 * noticed; what it was worth in the end.
 */
package io.retso.chaos.run;
