-- Make every search vector anew, after a change of the setting text_search_config. Answers with how many changed.
select cortex.reindex_text() as changed;
