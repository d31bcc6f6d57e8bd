/** What is done to tables and clusters while clients work, and when. */
package io.retso.verify.faults;
