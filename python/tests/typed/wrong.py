"""Mistakes that a type checker must find, one in each line with a comment."""

import logratio

run = logratio.init("runs")
logratio.init(evry=3)  # wrong
logratio.init(name=3)  # wrong
print(run.counts.writen)  # wrong
logratio.fnish()  # wrong
