/** The search for schedules that are not serializable, and for the sets of programs without any. */
package io.retso.advise.search;
