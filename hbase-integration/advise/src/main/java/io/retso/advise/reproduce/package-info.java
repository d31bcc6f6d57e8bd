/** Tests that show a danger on a real oracle and HBase. */
package io.retso.advise.reproduce;
